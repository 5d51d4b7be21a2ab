import { pause } from '@probe-mesh/runtime/pause'
import type { Client, Sent } from './client.ts'

/** A kind of request: its name, the pause between requests (ms), and its content. */
export type RequestKind = [what: string, everyMs: number, make: () => Sent & { path: string }]

/** Sends each kind repeatedly while `happen` runs. @returns every status, or the error */
export const sendDuring = async (
  client: Client,
  kinds: readonly RequestKind[],
  happen: (elapse: (ms: number) => Promise<void>) => Promise<void>,
): Promise<{ what: string; status: number | string }[]> => {
  const closing = new AbortController()
  const answers: { what: string; status: number | string }[] = []
  const pending = kinds.map(async ([what, everyMs, make]) => {
    while (!closing.signal.aborted) {
      const { path, ...sent } = make()
      const status = await client.send(path, sent).then((answer) => answer.status, String)
      answers.push({ what, status })
      await pause(everyMs, closing.signal)
    }
  })
  try {
    await happen((ms) => pause(ms, closing.signal))
  } finally {
    closing.abort()
    await Promise.all(pending)
  }
  return answers
}
