#include "engine/play/gtp_line.h"

#include <cstddef>

#include "base/strings.h"
#include "base/words.h"
#include "engine/play/game_session.h"

namespace az {
namespace {

constexpr std::uint64_t kLargestId = (std::uint64_t{1} << 31) - 1;

bool IsControl(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7F;
}

// Section 2.1: no control characters but tabs, no comment, tabs as spaces.
std::string Preprocessed(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  for (const char letter : line) {
    if (letter == '#') break;
    if (letter == '\t') {
      text += ' ';
    } else if (!IsControl(letter)) {
      text += letter;
    }
  }
  return text;
}

std::optional<std::uint32_t> ParseId(std::string_view word) {
  std::uint64_t id = 0;
  if (word.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  if (!ParseUint(word, id) || id > kLargestId) return std::nullopt;
  return static_cast<std::uint32_t>(id);
}

}  // namespace

std::optional<GtpCommand> ParseGtpLine(std::string_view line) {
  const std::string text = Preprocessed(line);
  const std::vector<std::string_view> words = Words(text);
  if (words.empty()) return std::nullopt;
  GtpCommand command;
  auto next = words.begin();
  command.id = ParseId(*next);
  if (command.id.has_value()) ++next;
  if (next != words.end()) command.name = *next++;
  command.arguments.assign(next, words.end());
  return command;
}

std::string GtpAnswerStart(GtpStatus status, std::optional<std::uint32_t> id) {
  const char sign = static_cast<char>(status);
  return id.has_value() ? StrCat(sign, *id) : StrCat(sign);
}

std::string GtpAnswer(GtpStatus status, std::optional<std::uint32_t> id, std::string_view text) {
  std::string answer = GtpAnswerStart(status, id);
  if (!text.empty() && text.front() != '\n') answer += ' ';
  for (const char letter : text) {
    const bool repeats = letter == '\n' && answer.back() == '\n';
    if (!repeats && (letter == '\n' || letter == '\t' || !IsControl(letter))) answer += letter;
  }
  if (answer.back() != '\n') answer += '\n';
  return answer + '\n';
}

std::optional<Player> ParseGtpColor(std::string_view text) {
  const std::string color = LowerCase(text);
  if (color == "b" || color == "black") return Player::kFirst;
  if (color == "w" || color == "white") return Player::kSecond;
  return std::nullopt;
}

std::string_view GtpColorName(Player player) {
  return player == Player::kFirst ? "black" : "white";
}

}  // namespace az
