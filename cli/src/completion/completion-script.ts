import { fail, writeJson } from '../api/failure.ts'
import type { Action, CommandSpec } from '../command-line/command-spec.ts'
import { bashScript } from './bash-script.ts'
import { fishScript } from './fish-script.ts'
import { shellWords, type ShellWords } from './shell-words.ts'
import { zshScript } from './zsh-script.ts'

/** Prints the completion script of these commands for a shell. */
export const printCompletion =
  (commands: readonly CommandSpec[]): Action<{ json: boolean }> =>
  async (context, options, [given = '']) => {
    const shell = shellOf(given)
    if (shell === null) {
      const message = `There is no completion script for ${JSON.stringify(given)}: use bash, zsh or fish.`
      return fail(context, options, [{ message }])
    }
    const script = completionScript(shell, commands)
    if (options.json) writeJson(context.out, { version: 1, shell, script })
    else context.out.write(script)
    return 0
  }

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Record<string, (words: ShellWords) => string>

type Shell = keyof typeof scripts

/** The shell with this name, or null if there is no completion for it. */
export const shellOf = (name: string): Shell | null => (Object.hasOwn(scripts, name) ? (name as Shell) : null)

/** The completion script of all commands. The shell reads it once, and it starts no process. */
export const completionScript = (shell: Shell, commands: readonly CommandSpec[]): string =>
  scripts[shell](shellWords(commands))
