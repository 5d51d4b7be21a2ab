import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import { count } from '../plan/show-value.ts'
import { draftOf, skip, tooMany, unusedFields, type Draft, type Monitors, type Remark } from './draft.ts'
import { fieldsOfRow, kumaCheck, kumaInstead, KumaMonitor } from './kuma-check.ts'
import { isMap, shaped, text, type Fields } from './shape.ts'

/** The output of `readKumaDatabase`: monitor rows, and row counts of other tables. */
export type KumaRows = {
  monitors: Fields[]
  counts: { notifications: number; statusPages: number; maintenance: number }
}

/** Reads the backup that Uptime Kuma 1 writes. */
export const kumaBackup = (source: string): Monitors => {
  let root: unknown
  try {
    root = parseForeignJson(source)
  } catch (error) {
    return { ok: false, problems: [`is not JSON: ${error instanceof Error ? error.message : ''}`] }
  }
  const list = isMap(root) ? root.monitorList : undefined
  if (!isMap(root) || !Array.isArray(list)) {
    return { ok: false, problems: ['monitorList: must be the list of monitors of a backup'] }
  }
  return readMonitors(list, (index) => `monitorList[${index}]`, [
    ...about('notificationList', lengthOf(root.notificationList), 'notification'),
  ])
}

/** Reads the rows of the database of Uptime Kuma 1 or 2. */
export const kumaRows = ({ monitors, counts }: KumaRows): Monitors => {
  const activity = new Map(monitors.map((row) => [row.id, row]))
  const rows = monitors.map((row) => ({
    ...fieldsOfRow(row),
    accepted_statuscodes: statusList(row.accepted_statuscodes_json),
    active: isActive(row, activity),
  }))
  return readMonitors(rows, (index) => `monitor ${String(monitors[index]?.id)}`, [
    ...about('notification', counts.notifications, 'notification'),
    ...about('status_page', counts.statusPages, 'status page'),
    ...about('maintenance', counts.maintenance, 'maintenance window'),
  ])
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

const about = (field: string, number: number, noun: string): Remark[] =>
  number === 0
    ? []
    : [{ field, message: `is not imported: files contain checks only (${count(number, noun)})` }]

const statusList = (source: unknown): unknown => {
  if (typeof source !== 'string') return source
  try {
    return parseForeignJson(source)
  } catch {
    return source
  }
}

/** A monitor runs if it and all groups around it are active. */
const isActive = (row: Fields, byId: ReadonlyMap<unknown, Fields>): unknown => {
  const seen = new Set<Fields>()
  for (let group = byId.get(row.parent); group !== undefined; group = byId.get(group.parent)) {
    if (group.active === 0) return false
    if (seen.has(group)) break
    seen.add(group)
  }
  return row.active
}

const readMonitors = (
  list: readonly unknown[],
  placeOf: (index: number) => string,
  remarks: Remark[],
): Monitors => {
  const problems = tooMany(list.length, 'monitors')
  if (problems.length > 0) return { ok: false, problems }
  const drafts = list.flatMap((item, index): Draft[] => {
    const at = placeOf(index)
    const kind = shaped(z.object({ name: text, type: text }, 'must be a monitor'), item, at)
    if (!kind.ok) {
      problems.push(...kind.problems)
      return []
    }
    const instead = kumaInstead(kind.value.type)
    if (instead !== null) {
      const draft = draftOf({ name: kind.value.name, at, url: '' })
      skip(draft, 'type', instead)
      return [draft]
    }
    const monitor = shaped(KumaMonitor, item, at)
    if (monitor.ok) return [kumaCheck(monitor.value, at)]
    problems.push(...monitor.problems)
    return []
  })
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    drafts,
    about: [...remarks, ...unusedFields(list, ['tags', 'parent', 'description'], 'monitor')],
  }
}
