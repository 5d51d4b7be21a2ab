import { errorAt } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Resource } from '../protocol/resource.ts'
import { isUuid } from './rules.ts'
import { stubOf } from './settle.ts'

type Imported = ReturnType<Resource<never>['importState']>

/** A check, status page or channel by its id (S-2704). */
export const importById =
  (schema: Schema, what: string) =>
  (id: string): Imported =>
    isUuid(id)
      ? { state: stubOf(schema, { id: id.toLowerCase() }) }
      : refuseId(`The import id of a ${what} is its id, which is a UUID.`)

/** A component as `<status_page_id>/<component_id>` (S-2704). */
export const importByPage =
  (schema: Schema) =>
  (text: string): Imported => {
    const [page = '', id = '', ...more] = text.split('/')
    return isUuid(page) && isUuid(id) && more.length === 0
      ? { state: stubOf(schema, { status_page_id: page.toLowerCase(), id: id.toLowerCase() }) }
      : refuseId('The import id of a component is <status_page_id>/<component_id>, both UUIDs.')
  }

const refuseId = (detail: string): Imported => ({
  diagnostics: [errorAt([], 'Invalid import id', detail)],
})
