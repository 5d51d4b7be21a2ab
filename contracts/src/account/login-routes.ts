import { z } from 'zod'
import { read, write, type Route } from '../schema/route.ts'
import {
  ChangePasswordInput,
  ConfirmLoginLinkInput,
  ConfirmSignUpInput,
  LoggedIn,
  LogInInput,
  RequestLoginLinkInput,
  RequestSignUpInput,
  SignUpInput,
  SignUpMode,
} from './session.ts'
import { AcceptInvitationInput, ReadInvitation, ReadInvitationInput } from './members.ts'

/** The dashboard routes that start or end a session, below `/dashboard-api`. */
export const loginRoutes = {
  logIn: write({
    method: 'POST',
    path: '/session',
    summary: 'Log in by password',
    body: LogInInput,
    output: LoggedIn,
    codes: ['SV-1008', 'SV-6005'],
  }),
  requestLoginLink: write({
    method: 'POST',
    path: '/login-links',
    summary: 'Request a login link by mail; the response is the same for an unknown address',
    success: 202,
    body: RequestLoginLinkInput,
    output: z.object({ requested: z.literal(true) }),
  }),
  confirmLoginLink: write({
    method: 'POST',
    path: '/login-links/confirm',
    summary: 'Log in with the link; it works once',
    body: ConfirmLoginLinkInput,
    output: LoggedIn,
    codes: ['SV-1008'],
  }),
  getSignUp: read({
    path: '/sign-up',
    summary: 'The sign-up mode of this server',
    output: z.object({ mode: SignUpMode }),
  }),
  requestSignUp: write({
    method: 'POST',
    path: '/sign-ups',
    summary: 'Request an account by mail; the response is the same for an address with an account',
    body: RequestSignUpInput,
    output: z.object({ requested: z.literal(true) }),
    codes: ['SV-1011', 'SV-3002', 'SV-6005'],
  }),
  confirmSignUp: write({
    method: 'POST',
    path: '/sign-ups/confirm',
    summary: 'Create an account with the link, which works once, and log in',
    success: 201,
    body: ConfirmSignUpInput,
    output: LoggedIn,
    codes: ['SV-1008', 'SV-1011', 'SV-3002'],
  }),
  signUp: write({
    method: 'POST',
    path: '/sign-ups/by-password',
    summary: 'Create an account and log in, on a server without mail',
    success: 201,
    body: SignUpInput,
    output: LoggedIn,
    codes: ['SV-1011', 'SV-3002', 'SV-6005'],
  }),
  readInvitation: {
    method: 'POST',
    path: '/invitations/read',
    scope: 'read',
    budget: 'reads',
    summary: 'The account and address of an invitation, for the holder of its link',
    success: 200,
    body: ReadInvitationInput,
    output: ReadInvitation,
    codes: ['SV-1008', 'SV-1012', 'SV-3002'],
  },
  acceptInvitation: write({
    method: 'POST',
    path: '/invitations/accept',
    summary: 'Become a member with the link, which works once, and log in',
    success: 201,
    body: AcceptInvitationInput,
    output: LoggedIn,
    codes: ['SV-1008', 'SV-1012', 'SV-3002'],
  }),
} as const satisfies Record<string, Route>

/** Session routes that need a login. */
export const ownSessionRoutes = {
  changePassword: write({
    method: 'POST',
    path: '/password',
    summary: 'Change the password; all other sessions of the user end',
    body: ChangePasswordInput,
    output: LoggedIn,
    codes: ['SV-3002', 'SV-6005'],
  }),
  logOut: write({
    method: 'DELETE',
    path: '/session',
    summary: 'Log out',
    output: z.object({ id: z.string(), ended: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
