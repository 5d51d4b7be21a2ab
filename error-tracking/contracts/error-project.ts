import { z } from 'zod'
import { ErrorSettings } from './error-settings.ts'
import { ErrorProject } from './error-tracking.ts'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Instant, Line } from '@probe-mesh/contracts/schema/text'

/** The platform of the shown SDK set-up. */
export const ErrorPlatform = z.enum(['node', 'browser', 'python', 'other'])
export type ErrorPlatform = z.infer<typeof ErrorPlatform>

/** Maximum number of projects of an account, on all plans. Plans limit only events. */
export const errorProjectsMax = 50
/** Maximum number of active keys of one project. */
export const openErrorKeysMax = 10

/** An error project in the dashboard. */
export const OwnErrorProject = ErrorProject.extend({
  platform: ErrorPlatform,
  createdAt: Instant,
  /** All received events of all months, including dropped ones. */
  receivedEver: z.int().min(0),
  /** Number of unresolved issues. */
  openIssues: z.int().min(0),
  /** The time of the newest event of any issue; null without an issue. */
  lastEventAt: Instant.nullable(),
})
export type OwnErrorProject = z.infer<typeof OwnErrorProject>

/** The used quota of error events of an account. */
export const ErrorUsage = z.object({
  /** Start of the month. */
  since: Instant,
  /** Start of the next month, which resets the quota. */
  until: Instant,
  /** The time of the counters. */
  asOf: Instant,
  quota: z.int().min(0),
  /** Used events of all projects, including deleted ones. */
  spent: z.int().min(0),
})
export type ErrorUsage = z.infer<typeof ErrorUsage>

export const OwnErrorProjects = ErrorUsage.extend({
  /** Oldest first. */
  projects: z.array(OwnErrorProject),
})
export type OwnErrorProjects = z.infer<typeof OwnErrorProjects>

/** Not a secret: every visitor of an instrumented page can read it. */
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
  /** Oldest first, including revoked ones. */
  keys: z.array(ErrorKey),
  /** Number of issues of all statuses. */
  issues: z.int().min(0),
  settings: ErrorSettings,
  /** The usage of the account, over all its projects. */
  usage: ErrorUsage,
  /** Events that SDKs reported as dropped this month and never sent. Largest number first. */
  clientReports: z.array(z.object({ reason: z.string(), category: z.string(), quantity: z.int().min(0) })),
  /** Received items of unsupported types this month, not stored. Largest number first. */
  unsupported: z.array(z.object({ type: z.string(), items: z.int().min(0) })),
})
export type ErrorProjectDetails = z.infer<typeof ErrorProjectDetails>

export const CreateErrorProjectInput = z.strictObject({ name: Line, platform: ErrorPlatform })
export type CreateErrorProjectInput = z.infer<typeof CreateErrorProjectInput>

/** Absent fields stay unchanged; filters are replaced as a whole. */
export const UpdateErrorProjectInput = CreateErrorProjectInput.extend(ErrorSettings.shape).partial()
export type UpdateErrorProjectInput = z.infer<typeof UpdateErrorProjectInput>

export const ErrorKeyParams = z.object({ id: Uuid, keyId: Uuid })
