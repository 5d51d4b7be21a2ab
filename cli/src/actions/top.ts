import { fail } from '../api/failure.ts'
import { readSettings } from '../api/settings.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { showTop, type Terminal } from '../top/show-top.ts'
import { sorts } from '../top/model/state.ts'
import { streamJson } from '../top/stream-json.ts'

type TopOptions = KeyOptions & { sort: string | undefined }

/** The live view on a terminal, or its events as JSON lines anywhere. */
export const topOn =
  (terminal: Terminal): Action<TopOptions> =>
  async (context, options) => {
    const { stdin, stdout } = terminal
    const isScreen = stdin.isTTY && stdout.isTTY && context.environment['TERM'] !== 'dumb'
    if (!options.json && !isScreen) {
      const message = 'The live view needs an interactive terminal.'
      return fail(context, options, [{ message, hint: 'Use `probe-mesh status --watch` instead.' }])
    }
    const read = await readSettings(context, options)
    if (!read.ok) return fail(context, options, read.failures)
    const failure = options.json
      ? await streamJson(context, read.settings)
      : await showTop(context, terminal, read.settings, sorts.find((one) => one === options.sort) ?? 'status')
    return failure === null ? 0 : fail(context, options, [failure])
  }

/** On the terminal of this process. */
export const top = topOn(process)
