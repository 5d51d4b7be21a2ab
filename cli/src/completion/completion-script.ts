import { fail, writeJson } from '../api/failure.ts'
import type { Act, CommandSpec } from '../command-line/command-spec.ts'
import { bashScript } from './bash-script.ts'
import { fishScript } from './fish-script.ts'
import { shellWords } from './shell-words.ts'
import type { ShellWords } from './shell-words.ts'
import { zshScript } from './zsh-script.ts'

/** Prints the completion of these commands for the shell that is given. */
export const printCompletion =
  (commands: readonly CommandSpec[]): Act<{ json: boolean }> =>
  async (world, options, [given = '']) => {
    const shell = shellOf(given)
    if (shell === null) {
      const message = `There is no completion for ${JSON.stringify(given)}: bash, zsh or fish.`
      return fail(world, options, [{ message }])
    }
    const script = completionScript(shell, commands)
    if (options.json) writeJson(world.out, { version: 1, shell, script })
    else world.out.write(script)
    return 0
  }

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Record<string, (words: ShellWords) => string>

type Shell = keyof typeof scripts

/** The shell of this name; null where there is no completion for it. */
export const shellOf = (name: string): Shell | null =>
  Object.hasOwn(scripts, name) ? (name as Shell) : null

/** The completion of every command for a shell: a text that it reads once and that calls nothing. */
export const completionScript = (shell: Shell, commands: readonly CommandSpec[]): string =>
  scripts[shell](shellWords(commands))
