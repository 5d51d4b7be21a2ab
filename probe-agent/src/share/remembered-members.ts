import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import type { Members } from './members.ts'

const Names = z.array(z.string().min(1).max(200)).max(10_000)

/** An agent that knew no browsers wrote the members alone. */
const Remembered = z.object({ members: Names, chromium: Names.default([]) })

export const noMembers: Members = { members: [], chromium: [] }

/**
 * Who shared the region when that was last known; nobody when there is no such file.
 * @throws Error when there is one and it cannot be read
 */
export const readMembers = (path: string): Members => {
  try {
    return Remembered.parse(parseForeignJson(readFileSync(path)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return noMembers
    throw error
  }
}

/** Whole or not at all. @throws Error when the disk does not take it */
export const writeMembers = (path: string, { members, chromium }: Members): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify({ members, chromium })}\n`)
  renameSync(`${path}.new`, path)
}
