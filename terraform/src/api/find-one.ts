import type { CallContext } from '../protocol/resource.ts'
import { isGone } from './failure.ts'
import type { Answer } from './failure.ts'

/**
 * One object, by the listing that others share. What the listing lacks is asked for by itself: nothing
 * is called gone, and made anew, because a list is short.
 * @returns null where it is gone
 */
export const findOne = async <T extends { id: string }>(
  id: string,
  context: CallContext,
  from: {
    list(context: CallContext): Promise<Answer<readonly T[]>>
    get(context: CallContext): Promise<Answer<T>>
  },
): Promise<Answer<T | null>> => {
  const listed = await from.list(context)
  if (!listed.ok && !isGone(listed.failure)) return listed
  const found = listed.ok ? listed.value.find((each) => each.id === id.toLowerCase()) : undefined
  if (found !== undefined) return { ok: true, value: found }
  const answer = await from.get(context)
  if (answer.ok || !isGone(answer.failure)) return answer
  return { ok: true, value: null }
}
