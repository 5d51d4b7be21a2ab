import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from './measures.ts'

/** The refusal of a database that does not answer. Its readings are stored later. */
const storeAway: Problem['code'] = 'SV-9002'

/** Shown in place of readings: they are stored later, or the request was refused. */
export const historyDelayed = ({ code, message }: Pick<Problem, 'code' | 'message'>): Html =>
  code === storeAway
    ? html`History is delayed: the store of readings does not answer, and what is measured now is shown here
      once it does. Statuses and alerts do not wait for it.`
    : html`It could not be read: ${named(message)}`
