import { fail, writeJson } from '../api/failure.ts'
import type { Act, CommandSpec } from '../command-line/command-spec.ts'
import { completionScript, shellOf } from '../completion/completion-script.ts'

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
