#pragma once
// OptionCollector: the options of any described struct as OptionEntry values. It does what
// OptionsOf does for a RunConfig, for structs outside of it (a player's settings). Includes all of
// value_text.h.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/config/option_table.h"
#include "engine/config/value_text.h"

namespace az {

// A visitor that collects the options of a struct. They refer to the struct, which must outlive
// them. Confined to one call of Describe.
class OptionCollector {
 public:
  template <class T>
  void Field(std::string_view name, T& value, std::string_view help) {
    Add(name, value, "", help, [](const T&) { return Result<void>(); });
  }
  template <class T, class B>
  void Field(std::string_view name, T& value, Range<B> range, std::string_view help) {
    Add(name, value, value_text::FormatRange(range), help,
        [range](const T& candidate) { return value_text::CheckRange(candidate, range); });
  }
  template <class T>
  void Section(std::string_view name, T& value, std::string_view help) {
    const std::string outer = prefix_;
    sections_.push_back({StrCat(outer, name), std::string(help)});
    prefix_ = StrCat(outer, name, ".");
    Describe(*this, value);
    prefix_ = outer;
  }

  std::vector<OptionEntry> TakeOptions() { return std::move(options_); }
  std::vector<SectionEntry> TakeSections() { return std::move(sections_); }

 private:
  template <class T, class Check>
  void Add(std::string_view name, T& value, std::string range, std::string_view help, Check check) {
    OptionEntry entry;
    entry.key = StrCat(prefix_, name);
    entry.type = value_text::TypeName<T>();
    entry.range = std::move(range);
    entry.help = help;
    entry.may_be_auto = value_text::kIsAuto<T>;
    entry.set = [&value, check](std::string_view text) -> Result<void> {
      T candidate = value;
      AZ_RETURN_IF_ERROR(value_text::Parse(Trim(text), candidate));
      AZ_RETURN_IF_ERROR(check(candidate));
      value = std::move(candidate);
      return {};
    };
    entry.get = [&value] { return value_text::Format(value); };
    options_.push_back(std::move(entry));
  }

  std::string prefix_;
  std::vector<OptionEntry> options_;
  std::vector<SectionEntry> sections_;
};

}  // namespace az
