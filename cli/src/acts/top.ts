import { fail } from '../api/failure.ts'
import { readSettings } from '../api/settings.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { showTop } from '../top/show-top.ts'
import type { Terminal } from '../top/show-top.ts'
import { streamJson } from '../top/stream-json.ts'

/** The live view on a terminal, or its events as JSON lines anywhere. */
export const topOn =
  (terminal: Terminal): Act<Keyed> =>
  async (world, options) => {
    const { stdin, stdout } = terminal
    const isScreen = stdin.isTTY && stdout.isTTY && world.environment['TERM'] !== 'dumb'
    if (!options.json && !isScreen) {
      const message = 'The live view needs a terminal that keys and a screen belong to.'
      return fail(world, options, [{ message, hint: 'Use `service status --watch` here.' }])
    }
    const read = await readSettings(world, options)
    if (!read.ok) return fail(world, options, read.failures)
    const failure = options.json
      ? await streamJson(world, read.settings)
      : await showTop(world, terminal, read.settings)
    return failure === null ? 0 : fail(world, options, [failure])
  }

/** On the terminal of this process. */
export const top = topOn(process)
