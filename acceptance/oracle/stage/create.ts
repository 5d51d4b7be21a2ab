import { randomUUID } from 'node:crypto'
import { setTimeout as elapse } from 'node:timers/promises'

const askMsMax = 30_000
const pauseMs = 1_000
/** Created side by side. */
const lanes = 5

/** Does it again while a busy machine refuses. @throws what the last try did */
export const stubbornly = async <T>(act: () => Promise<T>, triesMax = 20): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries === triesMax) throw error
      await elapse(pauseMs)
    }
  }
}

/** Creates checks, each once however often it is tried. @returns the id of each, by its name */
export const createNamedChecks = async (
  account: { apiUrl: string; apiKey: string },
  inputs: readonly { name: string }[],
): Promise<Map<string, string>> => {
  const ids = new Map<string, string>()
  const waiting = [...inputs]
  const createNext = async (): Promise<void> => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      const key = randomUUID()
      const json = JSON.stringify(body)
      const answer = await stubbornly(() => create(account, key, json))
      ids.set(body.name, answer.id)
    }
  }
  await Promise.all(Array.from({ length: lanes }, createNext))
  return ids
}

const create = async (
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  key: string,
  body: string,
): Promise<{ id: string }> => {
  const answer = await fetch(`${apiUrl}/checks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body,
    signal: AbortSignal.timeout(askMsMax),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { id: string }
}
