import { findSessionOwner } from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { tokenHash } from './token.ts'

/** Whether a session still holds. Asking is not using it: a page that stands open does not move its end on. */
export const sessionHolds = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  token: string,
): Promise<boolean> => {
  const owner = await findSessionOwner(sql, tokenHash(token), now())
  return owner !== null && !owner.isSuspended
}
