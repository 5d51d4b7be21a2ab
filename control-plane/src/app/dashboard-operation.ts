import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { DashboardRouteName, DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import type { z } from 'zod'
import type { Caller } from '../accounts/operations/context.ts'
import type { AppContext } from './app-parts.ts'
import type { MeshContext } from '../mesh/get-mesh.ts'
import type { OpenIncident } from '../public-answers/open-incident.ts'
import type { LoginContext } from '../login/context.ts'
import type { SessionOwner } from '../login/sessions-store.ts'

/** The logged-in user as a caller, with the session and the address. */
export type DashboardCaller = { caller: Caller; owner: SessionOwner; address: string }

export type DashboardContexts = {
  account: AppContext
  login: LoginContext
  mesh: MeshContext
  /** The shared incidents that outage answers report now. */
  incidents: () => readonly OpenIncident[]
}

type DashboardOperation<N extends DashboardRouteName> = (
  contexts: DashboardContexts,
  who: DashboardCaller,
  input: InputOf<DashboardRoutes[N]>,
) => Promise<z.output<DashboardRoutes[N]['output']> | Refusal>

export type DashboardOperations = { readonly [N in DashboardRouteName]: DashboardOperation<N> }

/** The operations of routes that need only the account. */
export type AccountOperations = {
  readonly [N in DashboardRouteName]?: (
    account: AppContext,
    caller: Caller,
    input: InputOf<DashboardRoutes[N]>,
  ) => Promise<z.output<DashboardRoutes[N]['output']> | Refusal>
}
