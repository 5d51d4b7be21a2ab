import type { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { UpdateStatusPageInput } from '@probe-mesh/contracts/status-page/status-page'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A page's document with what is typed and not saved yet in the place of what is stored. A field that
 * could not be saved as it is stays as it is stored, and is named. Its address stays too: what is
 * typed there is no page yet. Pure.
 * @param typed as the form's body has it (look-form)
 */
export const previewDocument = (
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
  return {
    document: { ...document, page: { ...document.page, ...given, name: title ?? name } },
    unshown: checked.filter(({ parsed }) => !parsed.success).map(({ field }) => field),
  }
}
