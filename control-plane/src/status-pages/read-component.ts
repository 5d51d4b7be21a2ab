import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { describeComponent } from './describe-page.ts'
import { findComponent } from '../page-record/components-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'

/** A component with its state, read where it is shown or has just been written; SV-3001 where none is. */
export const readComponent = async (
  db: Connection,
  of: { accountId: string; statusPageId: string; componentId: string },
  nowMs: number,
): Promise<Component | Refusal> => {
  const [component, windows] = await Promise.all([
    findComponent(db, of),
    findActiveWindowsOfPages(db, [of.statusPageId], nowMs),
  ])
  return component === null ? refuse('SV-3001') : describeComponent(component, windows, nowMs)
}
