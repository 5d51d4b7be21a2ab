import {
  savedFiltersMax,
  type CreateSavedFilterInput,
  type SavedFilter,
} from '@probe-mesh/contracts/check/saved-filter'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../../accounts/accounts-store.ts'
import type { AccountContext, Writer } from '../../accounts/operations/context.ts'
import { write } from '../../accounts/operations/write.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import {
  deleteSavedFilter as deleteRow,
  findSavedFilters,
  insertSavedFilter,
  type SavedFilterRecord,
} from './saved-filters-store.ts'

/** The saved filters of the account, by name. */
export const listSavedFilters = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ savedFilters: SavedFilter[] }> => {
  const found = await inAccount(sql, accountId, (tx) => findSavedFilters(tx, accountId))
  return { savedFilters: found.map(describe) }
}

/** Saves a filter for all members. SV-3002 for a name that another one has, in any case, and for too many. */
export const createSavedFilter = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body: { name, query } }: { body: CreateSavedFilterInput },
): Promise<SavedFilter | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const filter: SavedFilterRecord = { id: uuidv7(createdAtMs), name: name.trim(), query, createdAtMs }
  const audit = { action: 'createSavedFilter', resourceType: 'saved_filter', resourceId: () => filter.id }
  const saved = await write(context, writer, audit, async (tx): Promise<SavedFilterRecord | Refusal> => {
    // the lock keeps names and count valid until the insert
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    const others = await findSavedFilters(tx, accountId)
    if (others.some((each) => each.name.toLowerCase() === filter.name.toLowerCase())) return nameTaken
    if (others.length >= savedFiltersMax) return tooMany
    await insertSavedFilter(tx, accountId, filter)
    return filter
  })
  return isRefusal(saved) ? saved : describe(saved)
}

const taken = 'Another saved filter has this name.'
const nameTaken = refuse('SV-3002', { message: taken, errors: [{ path: 'name', message: taken }] })
const tooMany = refuse('SV-3002', {
  message: `The limit of ${savedFiltersMax} saved filters is reached. Delete one first.`,
})

/** Deletes a saved filter. SV-3001 for one that the account does not have. */
export const deleteSavedFilter = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'deleteSavedFilter', resourceType: 'saved_filter', resourceId: () => id }
  return write(context, writer, audit, async (tx) =>
    (await deleteRow(tx, writer.accountId, id)) ? ({ id, deleted: true } as const) : refuse('SV-3001'),
  )
}

const describe = ({ id, name, query, createdAtMs }: SavedFilterRecord): SavedFilter => ({
  id,
  name,
  query: Object.fromEntries(Object.entries(query).flatMap(([key, value]) => (value ? [[key, value]] : []))),
  createdAt: new Date(createdAtMs).toISOString(),
})
