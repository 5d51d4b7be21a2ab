import { html, type Html } from '@probe-mesh/runtime/html'
import { refused, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { logoImageOf } from '../status/brand.ts'
import { statusFrame } from '../status/status-frame.ts'
import { statusMain } from '../status/status-page.ts'
import { typedOf } from '../typed.ts'
import { groupsOfRows, readRows, type Row } from './arrangement.ts'
import { readLook } from './look-form.ts'
import type { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import {
  UpdateStatusPageInput,
  type ComponentState,
  type StatusPage,
} from '@probe-mesh/contracts/status-page/status-page'

/**
 * A page's document with unsaved input instead of the stored values. An invalid field keeps its stored value
 * and is named. The slug keeps its stored value too: the typed address is not a page yet.
 * @param typed in the form of the body (look-form)
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
  // as when saving: setting an address removes the uploaded logo
  const isOtherLogo = taken.logo !== undefined && taken.logo !== document.page.logo
  const uploadedLogo = isOtherLogo ? null : document.page.uploadedLogo
  return {
    document: { ...document, page: { ...document.page, ...given, uploadedLogo, name: title ?? name } },
    unshown: checked.filter(({ parsed }) => !parsed.success).map(({ field }) => field),
  }
}

const worstFirst: readonly ComponentState[] = ['down', 'degraded', 'maintenance', 'no_data', 'operational']

/** A page's document with its components in another order. */
const arrangedDocument = (document: PublicPageDocument, rows: readonly Row[]): PublicPageDocument => {
  const byId = new Map(document.components.map((component) => [component.id, component]))
  const groups = groupsOfRows(rows).map(({ name, componentIds }) => {
    const states = new Set(componentIds.map((id) => byId.get(id)?.state))
    return { name, componentIds, state: worstFirst.find((state) => states.has(state)) ?? 'no_data' }
  })
  return { ...document, groups }
}

type Asking = Pick<Parameters<MemberRoute['serve']>[0], 'ask' | 'askPublic'>

/** The unsaved part of a preview: a design, or an order of the components. */
type Unsaved = { typed: Readonly<Record<string, unknown>> } | { rows: readonly Row[] }

/** @param unsaved null: the stored page */
const preview = async ({ ask, askPublic }: Asking, id: string, unsaved: Unsaved | null): Promise<Outcome> => {
  // checks the ownership before reading anything else
  const page = await ask('getStatusPage', { params: { id } })
  if (!page.ok) return refused(page)
  const answer = await askPublic('publicPage', { params: { slug: page.value.slug } })
  if (!answer.ok) return refused(answer)
  const { document, unshown } =
    unsaved !== null && 'rows' in unsaved
      ? { document: arrangedDocument(answer.value, unsaved.rows), unshown: [] }
      : previewDocument(answer.value, page.value, unsaved?.typed ?? {})
  const title = `Preview of ${document.page.name}`
  const main = html`${unsaved !== null && noticeOf(unshown)}${statusMain(document)}`
  return {
    kind: 'framed',
    imageOrigin: logoImageOf(document.page)?.origin ?? null,
    // the frame runs no script
    textOf: (assets) =>
      statusFrame(
        { ...assets, script: null },
        { page: document.page, title, path: '', main, components: document.components },
      ),
  }
}

const noticeOf = (unshown: readonly string[]): Html => html`
  <p class="preview-note">
    Not saved yet.
    ${unshown.length > 0 && `These values are not valid, so the saved ones are shown: ${unshown.join(', ')}.`}
  </p>
`

/** A status page as its visitors will see it, stored or with unsaved input. Nothing is written. */
export const previewRoutes: readonly MemberRoute[] = [
  get('/dashboard/pages/:id/preview', (asking) => preview(asking, asking.params['id'] ?? '', null)),
  post('/dashboard/pages/:id/preview', (asking) => {
    const { form, params } = asking
    const unsaved = form.has('component') ? { rows: readRows(form) } : { typed: readLook(typedOf(form)).body }
    return preview(asking, params['id'] ?? '', unsaved)
  }),
]
