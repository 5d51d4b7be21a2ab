import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'

/** Says that the slug is taken, never by whom: it may be a page of another account. */
export const refuseTakenSlug = (slug: string): Refusal => {
  const message = `The slug ${slug} is taken. Choose another.`
  return refuse('SV-3002', { message, errors: [{ path: 'slug', message }] })
}
