import { pause } from '@probe-mesh/runtime/pause'
import type { Client, Sent } from './client.ts'

/** What is asked, how long it pauses before it is asked again (ms), and how. */
export type Asked = [what: string, everyMs: number, make: () => Sent & { path: string }]

/** Asks each again and again while something else happens. @returns every status, or why there is none */
export const askMeanwhile = async (
  client: Client,
  kinds: readonly Asked[],
  happen: (elapse: (ms: number) => Promise<void>) => Promise<void>,
): Promise<{ what: string; status: number | string }[]> => {
  const closing = new AbortController()
  const answers: { what: string; status: number | string }[] = []
  const asking = kinds.map(async ([what, everyMs, make]) => {
    while (!closing.signal.aborted) {
      const { path, ...sent } = make()
      const status = await client.ask(path, sent).then((answer) => answer.status, String)
      answers.push({ what, status })
      await pause(everyMs, closing.signal)
    }
  })
  try {
    await happen((ms) => pause(ms, closing.signal))
  } finally {
    closing.abort()
    await Promise.all(asking)
  }
  return answers
}
