import type { ArrangeComponentsInput, Component } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A row of the editor: the heading of a group, or a component below it. Rows before the first heading have no
 * group.
 */
export type Row = { group: string } | { component: string }

const isGroup = (row: Row): row is { group: string } => 'group' in row

/** The rows in the stored order. Ungrouped components after a group are below a heading without a name. */
export const rowsOf = (components: readonly Pick<Component, 'id' | 'groupName'>[]): Row[] => {
  let last = ''
  return components.flatMap(({ id, groupName }): Row[] => {
    const name = groupName ?? ''
    const heading = name === last ? [] : [{ group: name }]
    last = name
    return [...heading, { component: id }]
  })
}

/** The rows of a form, in order, after the move of its button. */
export const readRows = (form: URLSearchParams): Row[] => {
  const rows = [...form].flatMap(([name, value]): Row[] => {
    if (name === 'group') return [{ group: value.trim() }]
    return name === 'component' ? [{ component: value }] : []
  })
  const [up, down, removed] = [form.get('up'), form.get('down'), form.get('remove')]
  if (up !== null) return moved(rows, up, -1)
  if (down !== null) return moved(rows, down, 1)
  if (removed !== null) return withoutGroup(rows, Number(removed))
  const added = form.get('newGroup')?.trim() ?? ''
  return form.has('add') && added !== '' ? withGroup(rows, added) : rows
}

/** Moves one place up or down, past a heading into the next group. */
const moved = (rows: readonly Row[], id: string, by: -1 | 1): Row[] => {
  const at = rows.findIndex((row) => !isGroup(row) && row.component === id)
  const [own, other] = [rows[at], rows[at + by]]
  if (own === undefined || other === undefined) return [...rows]
  return rows.with(at + by, own).with(at, other)
}

/** @param number of the group, from 0: its components join the group before it */
const withoutGroup = (rows: readonly Row[], number: number): Row[] => {
  let at = -1
  return rows.filter((row) => {
    if (!isGroup(row)) return true
    at += 1
    return at !== number
  })
}

/** A group needs a component, so a new one starts with the last component. */
const withGroup = (rows: readonly Row[], name: string): Row[] => rows.toSpliced(-1, 0, { group: name })

/** Rows as saved, without headings that have no components. */
export const groupsOfRows = (rows: readonly Row[]): ArrangeComponentsInput['groups'] => {
  const groups: { name: string | null; componentIds: string[] }[] = [{ name: null, componentIds: [] }]
  for (const row of rows) {
    if (isGroup(row)) groups.push({ name: row.group === '' ? null : row.group, componentIds: [] })
    else groups.at(-1)?.componentIds.push(row.component)
  }
  return groups.filter(({ componentIds }) => componentIds.length > 0)
}
