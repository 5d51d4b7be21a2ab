import { randomUUID } from 'node:crypto'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { createRepeatableClient } from '../apply/repeatable-client.ts'
import type { RepeatableClient } from '../apply/repeatable-client.ts'
import type { World } from '../terminal/world.ts'
import { ask, askPatiently } from './ask.ts'
import type { Asked } from './ask.ts'
import type { Failure } from './failure.ts'
import { readSettings } from './settings.ts'
import type { Settings } from './settings.ts'

const answerMsMax = 60_000

/** The account behind a key, for one run of a command. */
export type Api = {
  readonly settings: Settings
  readonly client: RepeatableClient
  /**
   * A read that waits a 429 out, tells what it waits for, and says why there is no answer.
   * @param what such as `Reading the checks`
   */
  read<T>(
    what: string,
    call: (client: RepeatableClient) => Promise<ApiAnswer<T>>,
  ): Promise<Asked<T>>
  /** A write: it is sent once, and a refusal is returned at once. */
  write<T>(
    what: string,
    call: (client: RepeatableClient) => Promise<ApiAnswer<T>>,
  ): Promise<Asked<T>>
}

/** @param options.json nothing is said of the progress, so that both outputs are for programs */
export const openApi = async (
  world: World,
  options: { apiUrl: string | undefined; apiKey: string | undefined; json: boolean },
): Promise<{ ok: true; api: Api } | { ok: false; failures: Failure[] }> => {
  const read = await readSettings(world, options)
  if (!read.ok) return read
  const { settings } = read
  const client = createRepeatableClient({
    ...settings,
    runId: randomUUID(),
    fetch: boundedFetch(world),
  })
  const asking = { apiUrl: settings.apiUrl, quiet: options.json }
  return {
    ok: true,
    api: {
      settings,
      client,
      read: (what, call) => askPatiently(world, { what, ...asking }, () => call(client)),
      write: (what, call) => ask(world, { what, ...asking }, () => call(client)),
    },
  }
}

/**
 * `fetch` of which every answer has its time, and whose reads end with the command. A write that is
 * under way ends with its answer, so that what it did is known, unless its caller gave a signal.
 */
export const boundedFetch =
  ({ fetch: send, signal }: Pick<World, 'fetch' | 'signal'>, msMax = answerMsMax): typeof fetch =>
  (input, init) => {
    const isRead = init?.method === undefined || init.method === 'GET'
    const ends = [init?.signal, isRead ? signal : null, AbortSignal.timeout(msMax)]
    return send(input, {
      ...init,
      signal: anySignal(ends.filter((end) => end instanceof AbortSignal)),
    })
  }
