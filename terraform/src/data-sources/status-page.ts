import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/create-api.ts'
import { errorAt, type Diagnostic } from '../protocol/diagnostic.ts'
import type { DataSource } from '../protocol/resource.ts'
import type { Attribute, Schema } from '../protocol/schema.ts'
import { toObject, type ObjectValue } from '../protocol/value.ts'
import { failureDiagnostics } from '../resources/failure-diagnostics.ts'
import { pageAttributes, toPageState } from '../resources/status-page-schema.ts'
import { anId } from '../resources/rules.ts'
import { asWritten, valueOf } from '../resources/settle.ts'

const found = Object.fromEntries(
  Object.entries(pageAttributes).map(([name, { type, description }]): [string, Attribute] => [
    name,
    { type, description, presence: 'computed' },
  ]),
)

const schema: Schema = {
  version: 1,
  description: 'Looks up a status page of the account by its `id` or its `slug`.',
  attributes: {
    ...found,
    id: {
      type: 'string',
      presence: 'optional_computed',
      description: 'The id of the page. Set either this or `slug`.',
      validate: anId,
    },
    slug: {
      type: 'string',
      presence: 'optional_computed',
      description: 'The slug of the page. Set either this or `id`.',
    },
  },
}

/** A status page, looked up by `id` or `slug` (S-2701). */
export const statusPageData: DataSource<Api> = {
  name: 'service_status_page',
  schema,
  validate: (config): Diagnostic[] => {
    const [id, slug] = [valueOf(config, 'id'), valueOf(config, 'slug')]
    if ((id === null) !== (slug === null)) return []
    const summary = id === null ? 'Neither id nor slug is set' : 'Both id and slug are set'
    return [errorAt(id === null ? [] : ['slug'], summary, 'Set either id or slug, not both.')]
  },
  read: async (api, config, context) => {
    const listed = await api.statusPages(context)
    if (!listed.ok) {
      const undone = 'The status pages could not be read'
      return { state: null, diagnostics: failureDiagnostics(schema, undone, listed.failure) }
    }
    const page = listed.value.find((each) => isAskedFor(each, config))
    if (page !== undefined) return { state: toState(page, config), diagnostics: [] }
    const by = valueOf(config, 'id') === null ? 'slug' : 'id'
    const detail = `The account has no status page with the ${by} ${JSON.stringify(valueOf(config, by))}.`
    return { state: null, diagnostics: [errorAt([by], 'No such status page', detail)] }
  },
}

const isAskedFor = (page: StatusPage, config: ObjectValue): boolean => {
  const id = valueOf(config, 'id')
  return typeof id === 'string' ? page.id === id.toLowerCase() : page.slug === valueOf(config, 'slug')
}

const toState = (page: StatusPage, config: ObjectValue): ObjectValue =>
  toObject([...Object.entries(toPageState(page)), ['id', asWritten(valueOf(config, 'id'), page.id)]])
