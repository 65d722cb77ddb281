#pragma once
// What the subcommands of az_play share: each adds itself to the command line and says what to run.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/play/open_player.h"

namespace az {

inline constexpr const char* kPlayName = "az_play";

// The options that every subcommand has.
struct PlayArguments {
  PlayerRequest player;
  std::vector<std::string> sets;
};
void AddPlayArguments(CLI::App& command, PlayArguments& arguments);

// Options before a subcommand are of the game at the terminal. Refuse what would be lost of them,
// by a CLI::ParseError that names the order: all of them for another subcommand, for `play`, which
// has the same ones, those that it is given itself. For a subcommand's callback.
void RefuseEarlierOptions(const CLI::App& command);
void RefuseRepeatedOptions(const CLI::App& play);

// `programs`: the folder of the running program. kUnavailable without /proc.
Result<PlayEnvironment> EnvironmentOf(const PlayArguments& arguments);

// Prints "az_play: <message>" to standard error; the exit code of that error.
int Complain(const Error& error);

// 128 + signal without a word after one that ended the program; else 0, or what Complain returns.
int ExitOf(const Result<void>& result, int signal);

// Sets `run` to what the chosen subcommand does; it returns the program's exit code.
using PlayRun = std::function<int()>;
void AddAnalyzeCommand(CLI::App& app, PlayRun& run);
void AddGtpCommand(CLI::App& app, PlayRun& run);
// `az_play play`, and az_play without a command: its options are the program's too.
void AddTerminalCommand(CLI::App& app, PlayRun& run);

}  // namespace az
