#pragma once
// az_inspect rules: a dialogue about the rules of the games, in JSON lines, for scripts that check
// them against other programs. Needs no run, no model.
//
//   > {"id":7,"game":"hex5","actions":[12,7,3]}
//   < {"id":7,"positions":[{"to_move":0,"legal":[0,1,2],"over":false,"result":null}, ...]}
//   > {"id":8,"game":"hex5","actions":[12,12]}
//   < {"id":8,"error":"ply 1: action 12 is not legal in hex5"}
//
// Request: "game", a registry entry or family; then "actions" (numbers, in the mover's view) or
// "moves" (as a person writes them); "options": {"komi": 0.5} where the game has it; "want": any of
// "moves" (texts, in the order of "legal") and "planes" (words in hexadecimal). "id" comes back as
// it was. Answer: one position more than actions; "result" in the first player's view.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace az {

// Longer lines are answered with an error, and not kept.
inline constexpr std::size_t kMaxRulesLine = std::size_t{4} << 20;

// The answer to one line, without the line end. Never fails: what is wrong is in "error".
std::string AnswerRulesLine(std::string_view line);

// Answers each line as it comes, until the end of `in` or until `out` cannot be written.
void AnswerRules(std::istream& in, std::ostream& out);

}  // namespace az
