// JSON, as far as the protocol needs it: one line to a value.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Json {
    enum class Kind { null, truth, number, text, list, object };

    Kind kind = Kind::null;
    double value = 0;
    std::string text;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> fields;  // in the order in which they came: that of the pieces matters

    const Json *find(const std::string &name) const {
        for (auto field = fields.rbegin(); field != fields.rend(); ++field)
            if (field->first == name) return &field->second;
        return nullptr;
    }

    const Json &operator[](const std::string &name) const {
        const Json *found = find(name);
        if (!found) throw std::runtime_error("no field " + name);
        return *found;
    }

    int whole() const { return static_cast<int>(value); }
};

class JsonReader {
  public:
    explicit JsonReader(const std::string &line) : at_(line.c_str()) {}

    Json read() {
        skip_space();
        switch (*at_) {
            case '{': return read_object();
            case '[': return read_list();
            case '"': return read_text();
            case 't': return read_word("true", Json::Kind::truth, 1);
            case 'f': return read_word("false", Json::Kind::truth, 0);
            case 'n': return read_word("null", Json::Kind::null, 0);
            default: return read_number();
        }
    }

  private:
    const char *at_;

    void skip_space() {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n') ++at_;
    }

    bool takes(char mark) {
        skip_space();
        if (*at_ != mark) return false;
        ++at_;
        return true;
    }

    void expect(char mark) {
        if (!takes(mark)) throw std::runtime_error(std::string("expected ") + mark + ", got " + at_);
    }

    Json read_object() {
        Json found;
        found.kind = Json::Kind::object;
        expect('{');
        if (takes('}')) return found;
        do {
            skip_space();
            std::string name = read_text().text;
            expect(':');
            found.fields.emplace_back(std::move(name), read());
        } while (takes(','));
        expect('}');
        return found;
    }

    Json read_list() {
        Json found;
        found.kind = Json::Kind::list;
        expect('[');
        if (takes(']')) return found;
        do found.items.push_back(read());
        while (takes(','));
        expect(']');
        return found;
    }

    Json read_text() {
        Json found;
        found.kind = Json::Kind::text;
        expect('"');
        for (; *at_ != '"'; ++at_) {
            if (*at_ == 0) throw std::runtime_error("a text without its end");
            if (*at_ == '\\' && *++at_ == 0) throw std::runtime_error("a text without its end");
            found.text += *at_;  // what is escaped occurs in the names of bots only, which do not matter here
        }
        ++at_;
        return found;
    }

    Json read_number() {
        Json found;
        found.kind = Json::Kind::number;
        char *end;
        found.value = std::strtod(at_, &end);
        if (end == at_) throw std::runtime_error(std::string("expected a value, got ") + at_);
        at_ = end;
        return found;
    }

    Json read_word(const std::string &word, Json::Kind kind, double value) {
        for (char mark : word) expect(mark);
        Json found;
        found.kind = kind;
        found.value = value;
        return found;
    }
};
