import { randomUUID } from 'node:crypto'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { createRepeatableClient, type RepeatableClient } from '../apply/repeatable-client.ts'
import type { Context } from '../terminal/context.ts'
import type { Failure } from './failure.ts'
import { request, requestWithRetry, type Result } from './request.ts'
import { readSettings, type Settings } from './settings.ts'

const answerMsMax = 60_000

/** The account behind a key, for one run of a command. */
export type Api = {
  readonly settings: Settings
  readonly client: RepeatableClient
  /**
   * A read that waits for rate limits, reports its progress, and explains a missing answer.
   * @param what such as `Reading the checks`
   */
  read<T>(what: string, call: (client: RepeatableClient) => Promise<ApiAnswer<T>>): Promise<Result<T>>
  /** A write: sent once; a refusal is returned at once. */
  write<T>(what: string, call: (client: RepeatableClient) => Promise<ApiAnswer<T>>): Promise<Result<T>>
}

/** @param options.json suppresses progress, so that both outputs are for programs */
export const openApi = async (
  context: Context,
  options: { apiUrl: string | undefined; apiKey: string | undefined; json: boolean },
): Promise<{ ok: true; api: Api } | { ok: false; failures: Failure[] }> => {
  const read = await readSettings(context, options)
  if (!read.ok) return read
  const { settings } = read
  const client = createRepeatableClient({
    ...settings,
    runId: randomUUID(),
    fetch: boundedFetch(context),
  })
  const asking = { apiUrl: settings.apiUrl, quiet: options.json }
  return {
    ok: true,
    api: {
      settings,
      client,
      read: (what, call) => requestWithRetry(context, { what, ...asking }, () => call(client)),
      write: (what, call) => request(context, { what, ...asking }, () => call(client)),
    },
  }
}

/**
 * `fetch` with a time limit for every answer. Reads end with the command; a write in progress
 * finishes, so that its result is known, unless its caller passes a signal.
 */
export const boundedFetch =
  ({ fetch: send, signal }: Pick<Context, 'fetch' | 'signal'>, msMax = answerMsMax): typeof fetch =>
  (input, init) => {
    const isRead = init?.method === undefined || init.method === 'GET'
    const ends = [init?.signal, isRead ? signal : null, AbortSignal.timeout(msMax)]
    return send(input, {
      ...init,
      signal: anySignal(ends.filter((end) => end instanceof AbortSignal)),
    })
  }
