import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { refused } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { logoOf } from '../status/brand.ts'
import { statusFrame } from '../status/status-frame.ts'
import { statusMain } from '../status/status-page.ts'
import { typedOf } from '../typed.ts'
import { readLook } from './look-form.ts'
import { previewDocument } from './preview-document.ts'

type Asking = Pick<Parameters<MemberRoute['serve']>[0], 'ask' | 'askPublic'>

/** @param typed null: the page as it is stored */
const preview = async (
  { ask, askPublic }: Asking,
  id: string,
  typed: Readonly<Record<string, unknown>> | null,
): Promise<Outcome> => {
  // whose page it is, before anything of it is read
  const page = await ask('getStatusPage', { params: { id } })
  if (!page.ok) return refused(page)
  const answer = await askPublic('publicPage', { params: { slug: page.value.slug } })
  if (!answer.ok) return refused(answer)
  const { document, unshown } = previewDocument(answer.value, page.value, typed ?? {})
  const title = `Preview of ${document.page.name}`
  const main = html`${typed !== null && noticeOf(unshown)}${statusMain(document)}`
  return {
    kind: 'framed',
    imageOrigin: logoOf(document.page.logo)?.origin ?? null,
    // its frame lets no script run
    textOf: (assets) =>
      statusFrame({ ...assets, script: null }, { page: document.page, title, path: '', main }),
  }
}

const noticeOf = (unshown: readonly string[]): Html => html`
  <p class="preview-note">
    A preview: nothing of it is saved.
    ${unshown.length > 0 && `These cannot be saved as they are typed, and are shown as they were: ${unshown.join(', ')}.`}
  </p>
`

/** A status page as its visitors will see it, as it is stored or as it is typed. Nothing is written. */
export const previewRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/pages/:id/preview',
    serve: (asking) => preview(asking, asking.params['id'] ?? '', null),
  },
  {
    method: 'POST',
    path: '/dashboard/pages/:id/preview',
    serve: (asking) =>
      preview(asking, asking.params['id'] ?? '', readLook(typedOf(asking.form)).body),
  },
]
