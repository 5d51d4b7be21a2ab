import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { readComponent } from './read-component.ts'

/** One published check with its state as it stands now. */
export const getComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id: statusPageId, componentId } }: RouteInput<'getComponent'>,
): Promise<Component | Refusal> =>
  inAccount(context.sql, accountId, (tx) =>
    readComponent(tx, { accountId, statusPageId, componentId }, context.now()),
  )
