import { randomUUID } from 'node:crypto'
import { setTimeout as elapse } from 'node:timers/promises'

const answerMsMax = 30_000
const pauseMs = 1_000
/** Checks created in parallel. */
const concurrency = 5

/** Retries while a busy machine refuses. @throws the error of the last attempt */
export const retry = async <T>(act: () => Promise<T>, triesMax = 20): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries === triesMax) throw error
      await elapse(pauseMs)
    }
  }
}

/** Creates checks, each once in spite of retries. @returns their ids by name */
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
      const answer = await retry(() => create(account, key, json))
      ids.set(body.name, answer.id)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, createNext))
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
    signal: AbortSignal.timeout(answerMsMax),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { id: string }
}
