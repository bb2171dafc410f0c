#include <iostream>
#include <string>

int main() {
    std::string line;
    std::cout << "ready" << std::endl;
    while (std::getline(std::cin, line)) std::cout << "echo " << line << std::endl;
}
