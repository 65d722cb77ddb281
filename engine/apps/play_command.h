#pragma once
// The common part of az_play's subcommands: each adds itself to the command line and says what to
// run.

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

// Options before a subcommand belong to the game at the terminal. This refuses, with a
// CLI::ParseError that shows the right order, those that would be lost: for `play`, which has the
// same options, those that are also given after it; for other subcommands all of them. To be called
// in a subcommand's callback.
void RefuseEarlierOptions(const CLI::App& command);
void RefuseRepeatedOptions(const CLI::App& play);

// The environment of these arguments; its `programs` is the folder of the running program. Fails
// with kUnavailable without /proc.
Result<PlayEnvironment> EnvironmentOf(const PlayArguments& arguments);

// Prints "az_play: <message>" to standard error and returns the exit code of that error.
int Complain(const Error& error);

// The exit code: 128 + signal, without a message, after a signal that ended the program; otherwise
// 0, or what Complain returns.
int ExitOf(const Result<void>& result, int signal);

// The work of the chosen subcommand; it returns the program's exit code.
using PlayRun = std::function<int()>;
void AddAnalyzeCommand(CLI::App& app, PlayRun& run);
void AddGtpCommand(CLI::App& app, PlayRun& run);
// Adds `az_play play`, which is also az_play without a command: its options are the program's too.
void AddTerminalCommand(CLI::App& app, PlayRun& run);

}  // namespace az
