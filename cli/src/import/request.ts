import { limits } from '@probe-mesh/contracts/schema/limits'
import { unassertable } from './assertable.ts'
import { note, share, skip } from './draft.ts'
import type { Draft } from './draft.ts'
import { quoted } from './import-note.ts'

/** Told where an assertion reads the body. */
export const bodyRead = `the first ${limits.bodyBytesMax / 1024} KB of a body are read here`

/** Headers without which an answer says nothing about the one with them. */
const telling = /^host$|auth|cookie|token|key|secret|session|credential|signature/i

/** An http check sends GET: another method is another request. */
export const carryMethod = (draft: Draft, field: string, method: string): void => {
  const name = method.trim().toUpperCase()
  if (name === '' || name === 'GET') return
  if (name === 'HEAD') return note(draft, field, 'GET is sent here, not HEAD')
  const instead = 'create it in the dashboard as a multistep check, whose steps have a method'
  skip(draft, field, `is ${quoted(name)}, and http checks send GET: ${instead}`)
}

/** Headers are told by their names only: their values may be secrets. */
export const carryHeaders = (draft: Draft, field: string, names: readonly string[]): void => {
  if (names.length === 0) return
  const list = names.map(quoted).join(', ')
  if (names.some((name) => telling.test(name))) {
    return skip(draft, field, `sends ${list}: http checks send no headers of their own`)
  }
  note(draft, field, `${list} is not sent here: http checks send no headers of their own`)
}

export const carryBody = (draft: Draft, field: string, body: string): void => {
  if (body.trim() !== '') note(draft, field, 'no body is sent here')
}

export const carryAuthentication = (draft: Draft, field: string, method: string): void =>
  skip(draft, field, `authenticates with ${quoted(method)}: http checks send no credentials`)

export const carryTrust = (draft: Draft, field: string): void =>
  note(draft, field, 'certificates are verified here: one that is not trusted is down')

/** Literal text that the body contains or not; a check has one such assertion. */
export const assertBody = (
  draft: Draft,
  field: string,
  { op, value }: { op: 'contains' | 'not_contains'; value: string },
): void => {
  if (draft.fields.assertionBodyOp !== undefined) {
    return note(draft, field, `${quoted(value)} is not looked for here: a check looks for one text`)
  }
  const problem = unassertable(value)
  if (problem !== null) return skip(draft, field, problem)
  draft.fields.assertionBodyOp = op
  draft.fields.assertionBodyValue = value
  draft.fields.assertionBodyCaseSensitive = true
  share(draft, 'body', bodyRead)
}
