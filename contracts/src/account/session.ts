import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Email, emailCharactersMax, Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { passwordCharactersMin, passwordProblems } from './password-problems.ts'
import { Tier } from './tiers.ts'

const passwordCharactersMax = 200

/** A new password. Only its length is checked here. */
export const NewPassword = z
  .string()
  .min(passwordCharactersMin, passwordProblems.short)
  .max(passwordCharactersMax)

export const AccountName = z.string().trim().min(1, 'must not be blank').max(limits.nameCharactersMax)

/** Input of the login form. Accepts any text, so that a wrong one gets the same answer. */
export const LogInInput = z.strictObject({
  email: z.string().min(1, 'must not be empty').max(emailCharactersMax),
  password: z.string().min(1, 'must not be empty').max(passwordCharactersMax),
})
export type LogInInput = z.infer<typeof LogInInput>

export const RequestLoginLinkInput = z.strictObject({ email: Email })
export type RequestLoginLinkInput = z.infer<typeof RequestLoginLinkInput>

/** 256 random bits in base64url, in login links and session cookies. */
export const Token = z.string().regex(/^[\w-]{43}$/, 'must be a login token')

export const ConfirmLoginLinkInput = z.strictObject({ token: Token })
export type ConfirmLoginLinkInput = z.infer<typeof ConfirmLoginLinkInput>

/**
 * How people sign up: by a mailed link, by password on a server without mail, or not at all.
 */
export const SignUpMode = z.enum(['by_mail', 'by_password', 'closed'])
export type SignUpMode = z.infer<typeof SignUpMode>

export const RequestSignUpInput = z.strictObject({ email: Email })
export type RequestSignUpInput = z.infer<typeof RequestSignUpInput>

export const ConfirmSignUpInput = z.strictObject({
  token: Token,
  accountName: AccountName,
  password: NewPassword,
})
export type ConfirmSignUpInput = z.infer<typeof ConfirmSignUpInput>

export const SignUpInput = z.strictObject({
  email: Email,
  accountName: AccountName,
  password: NewPassword,
})
export type SignUpInput = z.infer<typeof SignUpInput>

/** `currentPassword` is optional for a while after a login by mail, for people who forgot it. */
export const ChangePasswordInput = z.strictObject({
  currentPassword: z.string().max(passwordCharactersMax).optional(),
  newPassword: NewPassword,
})
export type ChangePasswordInput = z.infer<typeof ChangePasswordInput>

export const SessionOpenedBy = z.enum(['password', 'link'])
export type SessionOpenedBy = z.infer<typeof SessionOpenedBy>

/** A login session, for its user. */
export const Session = z.object({
  id: z.string(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
  openedBy: SessionOpenedBy,
  createdAt: Instant,
  lastSeenAt: Instant,
  expiresAt: Instant,
  /** The client address at login. */
  address: z.string(),
  userAgent: z.string(),
})
export type Session = z.infer<typeof Session>

/** The user, account and session of a login. */
export const LoggedIn = z.object({
  user: z.object({ id: z.string(), email: z.string() }),
  account: z.object({ id: z.string(), name: z.string(), tier: Tier }),
  session: Session,
})
export type LoggedIn = z.infer<typeof LoggedIn>

export const SessionParams = z.object({ id: Uuid })
