use std::io::{self, BufRead};

fn main() {
    println!("ready");
    for line in io::stdin().lock().lines() {
        println!("echo {}", line.unwrap());
    }
}
