import { z } from 'zod'
import { ErrorSettings } from './error-settings.ts'
import { ErrorProject } from './error-tracking.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'

/** What the set-up of an SDK is shown for. */
export const ErrorPlatform = z.enum(['node', 'browser', 'python', 'other'])
export type ErrorPlatform = z.infer<typeof ErrorPlatform>

/** Bounds of an account, of any tier: what a tier bounds is events. */
export const errorProjectsMax = 50
/** Of one project, without revoked ones. */
export const openErrorKeysMax = 10

/** An error project as the dashboard shows it. */
export const OwnErrorProject = ErrorProject.extend({
  platform: ErrorPlatform,
  createdAt: Instant,
  /** Events of every month that arrived, whatever became of them. */
  receivedEver: z.int().min(0),
})
export type OwnErrorProject = z.infer<typeof OwnErrorProject>

/** What an account spent of its tier's error events. */
export const ErrorUsage = z.object({
  /** First instant of the month that is counted. */
  since: Instant,
  /** When the next month begins, and with it the quota anew. */
  until: Instant,
  /** When the counters were read. */
  asOf: Instant,
  quota: z.int().min(0),
  /** Of the quota, by all projects together, also those that were deleted since. */
  spent: z.int().min(0),
})
export type ErrorUsage = z.infer<typeof ErrorUsage>

export const OwnErrorProjects = ErrorUsage.extend({
  /** Oldest first. */
  projects: z.array(OwnErrorProject),
})
export type OwnErrorProjects = z.infer<typeof OwnErrorProjects>

/** No secret: whoever reads a page that reports can read it. */
export const ErrorKey = z.object({
  id: z.string(),
  publicKey: z.string(),
  dsn: z.string(),
  createdAt: Instant,
  revokedAt: Instant.nullable(),
})
export type ErrorKey = z.infer<typeof ErrorKey>

export const ErrorProjectDetails = OwnErrorProject.extend({
  since: Instant,
  asOf: Instant,
  /** Oldest first, revoked ones included. */
  keys: z.array(ErrorKey),
  /** Of every status. */
  issues: z.int().min(0),
  settings: ErrorSettings,
  /** Of the account, with all its other projects. */
  usage: ErrorUsage,
  /** What SDKs say that they threw away themselves this month: none of it arrived. Most first. */
  clientReports: z.array(
    z.object({ reason: z.string(), category: z.string(), quantity: z.int().min(0) }),
  ),
  /** What came beside events this month, and is not kept. Most first. */
  unsupported: z.array(z.object({ type: z.string(), items: z.int().min(0) })),
})
export type ErrorProjectDetails = z.infer<typeof ErrorProjectDetails>

export const CreateErrorProjectInput = z.strictObject({ name: Line, platform: ErrorPlatform })
export type CreateErrorProjectInput = z.infer<typeof CreateErrorProjectInput>

/** What is given is changed; filters are replaced as a whole. */
export const UpdateErrorProjectInput = CreateErrorProjectInput.extend(ErrorSettings.shape).partial()
export type UpdateErrorProjectInput = z.infer<typeof UpdateErrorProjectInput>

export const ErrorKeyParams = z.object({ id: Uuid, keyId: Uuid })
