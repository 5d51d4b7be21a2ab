import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ConfirmLoginLinkInput } from '@probe-mesh/contracts/account/session'
import { takeLoginLink } from './login-links-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmUser, lockUser } from './users-store.ts'
import type { LoginContext, Visitor } from './context.ts'
import { openSession } from './open-session.ts'
import type { OpenedSession } from './open-session.ts'
import { tokenHash } from './token.ts'

/**
 * Opens a session by a mailed link, which works once: SV-1008 for any other. No attempts count here, so that
 * a link works whatever passwords were tried.
 */
export const confirmLink = (
  context: Pick<LoginContext, 'sql' | 'now' | 'marks'>,
  visitor: Visitor,
  { token }: ConfirmLoginLinkInput,
): Promise<OpenedSession | Refusal> =>
  transact(context.sql, async (tx) => {
    const link = await takeLoginLink(tx, tokenHash(token), context.now())
    const user = link === null ? null : await lockUser(tx, link.userId)
    if (user === null) return refuse('SV-1008', { message: noLink })
    await confirmUser(tx, user.id, context.now())
    const how = { action: 'logInByLink', openedBy: 'link' } as const
    return openSession(tx, context, user, visitor, how)
  })

const noLink = 'This login link was used already or is too old. Ask for another one.'
