import { z } from 'zod'
import { read, write, type Route } from '../schema/route.ts'
import { Line } from '../schema/text.ts'
import { TimeZone } from '../schema/time-zone.ts'

/** The logged-in member, and the settings of the account that all members share. */
export const Profile = z.object({
  email: z.string(),
  /** null: never chosen. */
  name: z.string().nullable(),
  /** The zone of times in mails to the member. */
  timeZone: z.string(),
  account: z.object({
    /** The zone of times in messages to channels, and in mails to addresses of people who are no members. */
    timeZone: z.string(),
  }),
})
export type Profile = z.infer<typeof Profile>

export const UpdateProfileInput = z.strictObject({ name: Line, timeZone: TimeZone }).partial()
export type UpdateProfileInput = z.infer<typeof UpdateProfileInput>

export const UpdateAccountInput = z.strictObject({ timeZone: TimeZone })
export type UpdateAccountInput = z.infer<typeof UpdateAccountInput>

/** Dashboard routes of the member's own record and of the account's settings, below `/dashboard-api`. */
export const profileRoutes = {
  getProfile: read({
    path: '/profile',
    summary: 'The logged-in member, and settings of the account',
    output: Profile,
  }),
  updateProfile: write({
    method: 'PATCH',
    path: '/profile',
    summary: 'Change the name or the time zone of the logged-in member',
    body: UpdateProfileInput,
    output: Profile,
  }),
  updateAccount: write({
    method: 'PATCH',
    path: '/account',
    summary: "Change the time zone of the account's messages",
    body: UpdateAccountInput,
    output: Profile,
  }),
} as const satisfies Record<string, Route>
