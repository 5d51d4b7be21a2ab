import { childrenNamedMax, type CheckParents } from '@probe-mesh/contracts/check/check-parents'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findHoldingParent } from '../alerts/parents-store.ts'
import {
  findChildren,
  findDependences,
  findNames,
  findParentIds,
  findParents,
  lockParents,
  writeParents,
  type Dependence,
} from '../records/check/check-parents-store.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findCheck } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** What a check depends on, what depends on it, and what holds its alerts. SV-3001 for an unknown check. */
export const getCheckParents = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<CheckParents | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    if ((await findCheck(tx, accountId, id)) === null) return refuse('SV-3001')
    const parents = await findParents(tx, id)
    const { children, count } = await findChildren(tx, id, childrenNamedMax)
    const holding = await findHoldingParent(tx, id)
    return {
      parentIds: parents.map((parent) => parent.id).toSorted(),
      parents,
      children,
      childCount: count,
      heldBy: holding && {
        id: holding.checkId,
        name: holding.name,
        since: new Date(holding.sinceMs).toISOString(),
        isDown: holding.isDown,
        endedAt: holding.endedMs === undefined ? null : new Date(holding.endedMs).toISOString(),
      },
    }
  })

/**
 * Replaces the parents of a locked check, in the transaction of its change. SV-2001 with every check that the
 * account does not have, and with the circle that each other one would close (S-1951).
 * @returns whether they changed
 */
export const changeParents = async (
  tx: Transaction,
  { id, accountId, name }: Pick<CheckRecord, 'id' | 'accountId' | 'name'>,
  parentIds: readonly string[],
): Promise<boolean | Refusal> => {
  const before = await findParentIds(tx, id)
  if (new Set(before).symmetricDifference(new Set(parentIds)).size === 0) return false
  await lockParents(tx, accountId)
  const dependences = await findDependences(tx, parentIds)
  const known = dependences.flatMap(({ checkId, parentId }) => [checkId, parentId])
  const names = await findNames(tx, accountId, [...new Set([id, ...parentIds, ...known])])
  const errors = parentIds.flatMap((parentId, index) => {
    const path = `parentIds[${index}]`
    if (!names.has(parentId)) return [{ path, message: 'this account has no check with this id' }]
    const circle = pathUp(dependences, parentId, id)
    return circle === null
      ? []
      : [{ path, message: circleText([id, ...circle].map((each) => names.get(each) ?? name)) }]
  })
  if (errors.length > 0) return refuse('SV-2001', { errors })
  await writeParents(tx, { checkId: id, accountId }, parentIds)
  return true
}

/** The shortest way up from a check to another one, both included; null if there is none. */
export const pathUp = (dependences: readonly Dependence[], fromId: string, toId: string): string[] | null => {
  const above = Map.groupBy(dependences, ({ checkId }) => checkId)
  const cameFrom = new Map<string, string | null>([[fromId, null]])
  // a Map is walked in order of insertion, so that this is a search in breadth
  for (const id of cameFrom.keys()) {
    if (id === toId) return wayTo(cameFrom, id)
    for (const { parentId } of above.get(id) ?? []) if (!cameFrom.has(parentId)) cameFrom.set(parentId, id)
  }
  return null
}

const wayTo = (cameFrom: ReadonlyMap<string, string | null>, id: string): string[] => {
  const before = cameFrom.get(id) ?? null
  return before === null ? [id] : [...wayTo(cameFrom, before), id]
}

/** `a circle: Shop depends on Database, which depends on Shop` */
const circleText = ([first = '', second = '', ...others]: readonly string[]): string =>
  second === '' || (others.length === 0 && first === second)
    ? 'a check cannot depend on itself'
    : `a circle: ${first} depends on ${[second, ...others].join(', which depends on ')}`
