import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { refused } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { logoImageOf } from '../status/brand.ts'
import { statusFrame } from '../status/status-frame.ts'
import { statusMain } from '../status/status-page.ts'
import { typedOf } from '../typed.ts'
import { readLook } from './look-form.ts'
import type { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { UpdateStatusPageInput } from '@probe-mesh/contracts/status-page/status-page'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A page's document with what is typed and not saved yet in the place of what is stored. A field that
 * could not be saved as it is stays as it is stored, and is named. Its address stays too: what is
 * typed there is no page yet. Pure.
 * @param typed as the form's body has it (look-form)
 */
const previewDocument = (
  document: PublicPageDocument,
  stored: Pick<StatusPage, 'name' | 'title'>,
  typed: Readonly<Record<string, unknown>>,
): { document: PublicPageDocument; unshown: string[] } => {
  const { shape } = UpdateStatusPageInput
  const checked = Object.entries(shape).flatMap(([field, schema]) =>
    typed[field] === undefined ? [] : [{ field, parsed: schema.safeParse(typed[field]) }],
  )
  const taken: UpdateStatusPageInput = Object.fromEntries(
    checked.flatMap(({ field, parsed }) => (parsed.success ? [[field, parsed.data]] : [])),
  )
  const { name = stored.name, title = stored.title, slug: _slug, ...look } = taken
  const given = Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined))
  // as it is when it is saved: an address that is set removes the uploaded logo
  const isOtherLogo = taken.logo !== undefined && taken.logo !== document.page.logo
  const uploadedLogo = isOtherLogo ? null : document.page.uploadedLogo
  return {
    document: { ...document, page: { ...document.page, ...given, uploadedLogo, name: title ?? name } },
    unshown: checked.filter(({ parsed }) => !parsed.success).map(({ field }) => field),
  }
}

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
    imageOrigin: logoImageOf(document.page)?.origin ?? null,
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
    serve: (asking) => preview(asking, asking.params['id'] ?? '', readLook(typedOf(asking.form)).body),
  },
]
