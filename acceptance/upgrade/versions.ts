import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { FormerVersion } from '@probe-mesh/infra/testing/former-version'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { expect, vi } from 'vitest'

/** The version that one may upgrade from, and roll back to: 2026-11-29. */
export const formerCommit = '5db879e608fe16251e68bf9c1815d8f76d5ba295'

/** A version of a part; null: this one. */
type Version = FormerVersion | null

/** The versions that the parts of a mesh run. @param begun of every part at first */
export const createVersions = (begun: Version) => {
  const trees = new Map<string, Version>()
  return {
    /** For `startProcesses`. */
    options: {
      ...(begun !== null && { former: begun }),
      treeOf: (name: string): string | null => (trees.has(name) ? trees.get(name) : begun)?.folder ?? null,
    },
    replace: async (part: EntryPart, by: Version): Promise<void> => {
      await part.stop()
      trees.set(part.name, by)
      await part.start()
    },
  }
}

export const everyStatusIs = async (
  sql: Sql,
  ids: readonly string[],
  status: string,
  patience: { timeout: number; interval: number },
): Promise<void> => {
  await vi.waitFor(async () => {
    const rows = await sql<{ status: string }[]>`
      select status from check_states where check_id = any(${[...ids]}::uuid[])`
    expect(rows.map((row) => row.status)).toEqual(ids.map(() => status))
  }, patience)
}
