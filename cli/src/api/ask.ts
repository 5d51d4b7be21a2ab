import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { readPatiently } from '../apply/read-patiently.ts'
import { withProgress } from '../terminal/progress.ts'
import type { World } from '../terminal/world.ts'
import type { Failure } from './failure.ts'
import { whyUnanswered } from './why-unanswered.ts'

export type Asked<T> = { ok: true; value: T } | { ok: false; failures: Failure[] }

/** `what` is waited for, such as `Reading the checks`; quiet says nothing of it. */
export type Asking = { what: string; apiUrl: string; quiet: boolean }

type AskingWorld = Pick<World, 'err' | 'now' | 'pause' | 'signal'>

/**
 * One call, telling what it waits for, and why there is no answer.
 * @throws where the user asked to end
 */
export const ask = async <T>(
  world: AskingWorld,
  { apiUrl, ...progress }: Asking,
  call: () => Promise<ApiAnswer<T>>,
): Promise<Asked<T>> => {
  try {
    const answer = await withProgress(world, progress, call())
    return answer.ok ? answer : { ok: false, failures: [answer.problem] }
  } catch (error) {
    if (world.signal.aborted) throw error
    return { ok: false, failures: [whyUnanswered(error, apiUrl)] }
  }
}

/** The same of a read: it waits a 429 out, and asks once more where the connection was lost. */
export const askPatiently = <T>(
  world: AskingWorld,
  asking: Asking,
  call: () => Promise<ApiAnswer<T>>,
): Promise<Asked<T>> => {
  const say = (line: string): void => world.err.write(`${line}\n`)
  return ask(world, asking, () => readPatiently({ pause: world.pause, say }, call))
}
