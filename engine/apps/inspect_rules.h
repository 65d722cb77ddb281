#pragma once
// az_inspect rules: answers questions about the rules of the games, in JSON lines, for scripts that
// check them against other programs. Needs neither a run nor a model.
//
//   > {"id":7,"game":"hex5","actions":[12,7,3]}
//   < {"id":7,"positions":[{"to_move":0,"legal":[0,1,2],"over":false,"result":null}, ...]}
//   > {"id":8,"game":"hex5","actions":[12,12]}
//   < {"id":8,"error":"ply 1: action 12 is not legal in hex5"}
//
// A request has "game", a registry entry or family; "actions" (numbers, in the mover's view) or
// "moves" (as a person writes them); "options": {"komi": 0.5} where the game has it; "want": any of
// "moves" (texts, in the order of "legal") and "planes" (words in hexadecimal); and an "id", which
// the answer repeats. An answer has one position more than actions; "result" is in the first
// player's view.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace az {

// The longest line; longer ones are answered with an error and not kept.
inline constexpr std::size_t kMaxRulesLine = std::size_t{4} << 20;

// The answer to one line, without a newline. Never fails: faults are in "error".
std::string AnswerRulesLine(std::string_view line);

// Answers each line as it arrives, until `in` ends or `out` cannot be written.
void AnswerRules(std::istream& in, std::ostream& out);

}  // namespace az
