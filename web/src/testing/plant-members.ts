import { password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import type { Answer } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { lines, packed } from './payloads.ts'
import type { TestWeb } from './test-web.ts'

/** Names that a person can choose. */
const names = packed(
  // eslint-disable-next-line no-control-regex
  lines.filter((text) => !/[\u0000-\u001f\u007f]/.test(text)),
  200,
)

/** Writes every payload into the names of members. @returns the path of an invitation that is still open */
export const plantMembers = async (
  { at }: TestWeb,
  api: (method: 'POST', path: string, body: object) => Promise<Answer>,
  put: (where: string, text: string) => string,
): Promise<string> => {
  const invite = async (email: string): Promise<URL> => {
    const answer = await api('POST', '/invitations', { email })
    if (answer.status !== 201) throw new Error(answer.text)
    return new URL(answer.json.link)
  }
  for (const [n, name] of names.entries()) {
    const link = await invite(`member-${n}@example.org`)
    const body = { token: link.searchParams.get('token'), name: put('member', name), password }
    const answer = await at.call('POST', '/dashboard-api/invitations/accept', { body })
    if (answer.status !== 201) throw new Error(answer.text)
  }
  const { pathname, search } = await invite('invited@example.org')
  return pathname + search
}
