import { z } from 'zod'
import type { Route } from './routes/route.ts'
import {
  ChangePasswordInput,
  ConfirmLoginLinkInput,
  LoggedIn,
  LogInInput,
  RequestLoginLinkInput,
} from './session.ts'

/** The routes of the dashboard that give a session or take it away, under `/dashboard-api` as well. */
export const loginRoutes = {
  logIn: {
    method: 'POST',
    path: '/session',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Log in by password',
    success: 200,
    body: LogInInput,
    output: LoggedIn,
    codes: ['SV-1008', 'SV-6005'],
  },
  requestLoginLink: {
    method: 'POST',
    path: '/login-links',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Ask for a link by mail; the answer is the same where nobody has the address',
    success: 200,
    body: RequestLoginLinkInput,
    output: z.object({ requested: z.literal(true) }),
    codes: ['SV-6005'],
  },
  confirmLoginLink: {
    method: 'POST',
    path: '/login-links/confirm',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Log in by the link, once',
    success: 200,
    body: ConfirmLoginLinkInput,
    output: LoggedIn,
    codes: ['SV-1008'],
  },
} as const satisfies Record<string, Route>

/** The same for who is logged in already. */
export const ownSessionRoutes = {
  changePassword: {
    method: 'POST',
    path: '/password',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Set a new password; every other session of the user ends',
    success: 200,
    body: ChangePasswordInput,
    output: LoggedIn,
    codes: ['SV-3002', 'SV-6005'],
  },
  logOut: {
    method: 'DELETE',
    path: '/session',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Log out',
    success: 200,
    output: z.object({ id: z.string(), ended: z.literal(true) }),
  },
} as const satisfies Record<string, Route>
