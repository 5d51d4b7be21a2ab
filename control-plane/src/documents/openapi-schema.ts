import { Me } from '@probe-mesh/contracts/account/account'
import { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { Probes, RegionProbes } from '@probe-mesh/contracts/agent/probes'
import {
  CatalogAnswer,
  Freshness,
  InternetAnswer,
  NamedService,
  PastOutage,
  RecentIncidentsAnswer,
  RegionalReading,
  RegionalReadingsAnswer,
  RegionWeather,
  ReportReceipt,
  ReportVolume,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
  SharedIncident,
  StackAnswer,
  StacksAnswer,
  VendorOutage,
  WeatherAnswer,
} from '@probe-mesh/contracts/outage/answers'
import { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import {
  ServiceDay,
  ServiceHistory,
  ServicePageAnswer,
  ServiceStep,
} from '@probe-mesh/contracts/outage/service-page'
import { Channel, ChannelTest } from '@probe-mesh/contracts/channel/channel'
import {
  Check,
  CheckDetail,
  MeasuredShare,
  RegionStatus,
  Series,
  SeriesPoint,
  StoredReading,
  Uptime,
} from '@probe-mesh/contracts/check/check'
import { CheckRow } from '@probe-mesh/contracts/check/check-row'
import {
  ErrorDrops,
  ErrorFrame,
  ErrorIssue,
  ErrorOccurrence,
  ErrorProject,
} from '@probe-mesh/contracts/error-tracking/error-tracking'
import { Flip } from '@probe-mesh/contracts/mesh/events'
import { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { BrowserSettings } from '@probe-mesh/check-types/browser/settings'
import { DnsSettings } from '@probe-mesh/check-types/dns/settings'
import { SmtpSettings } from '@probe-mesh/check-types/smtp/settings'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import { Step } from '@probe-mesh/contracts/check/step'
import { StepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { Heartbeat, HeartbeatSettings, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { Incident, IncidentUpdate } from '@probe-mesh/contracts/incident/incident'
import { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { CheckCertificate, CheckDomain } from '@probe-mesh/contracts/reading/certificate'
import {
  HopTrace,
  NameEvidence,
  ReadingDetails,
  Timings,
} from '@probe-mesh/contracts/reading/reading-details'
import { z } from 'zod'
import { describeFields, type Json } from '@probe-mesh/contracts/api/field-words/describe-fields'

/** Schemas that the document defines once and refers to. */
const named = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries({
  Agent: PrivateAgent,
  AgentReport,
  Alert,
  CatalogAnswer,
  Certificate: CheckCertificate,
  Channel,
  ChannelTest,
  Check,
  CheckConfig,
  CheckDetail,
  Component,
  BrowserSettings,
  DnsSettings,
  Domain: CheckDomain,
  ErrorDrops,
  ErrorFrame,
  ErrorIssue,
  ErrorOccurrence,
  ErrorProject,
  Flip,
  Freshness,
  GradedProbe,
  Heartbeat,
  HeartbeatSettings,
  Hop: HopTrace,
  Incident,
  IncidentUpdate,
  InternetAnswer,
  ListedCheck: CheckRow,
  MaintenanceWindow,
  Me,
  MeasuredShare,
  NamedService,
  NameEvidence,
  PastOutage,
  Probes,
  Problem,
  ReadingDetails,
  RecentIncidentsAnswer,
  RegionalReading,
  RegionalReadingsAnswer,
  RegionProbes,
  RegionStatus,
  RegionWeather,
  ReportReceipt,
  ReportVolume,
  ReportVolumeAnswer,
  Run,
  Series,
  SeriesPoint,
  ServiceDay,
  ServiceHistory,
  ServicePageAnswer,
  ServiceStatusAnswer,
  ServiceStep,
  SharedIncident,
  SmtpSettings,
  StackAnswer,
  StacksAnswer,
  StatusPage,
  Step,
  StepAssertions,
  StoredReading,
  TcpSettings,
  Timings,
  Uptime,
  VendorOutage,
  WeatherAnswer,
})) {
  named.add(schema, { id })
}

/**
 * A JSON schema with its named parts moved to `components`, and its fields described.
 * @param owner the operation or the schema whose fields these are
 */
export const toSchema = (
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Json,
  owner: string,
): Json => {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = asJson(
    z.toJSONSchema(schema, {
      io,
      metadata: named,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // answers may gain fields; only input is closed
        if (io === 'output') delete jsonSchema.additionalProperties
        removeNoise(jsonSchema)
      },
    }),
  )
  for (const [id, definition] of Object.entries(asJson($defs))) {
    components[id] = describeFields(withoutId(asJson(definition)), ownersOf(id))
  }
  return describeFields(withoutId(own), [owner])
}

/** Schemas that are another one with more fields, whose words they share. */
const wider: Readonly<Record<string, string>> = { CheckDetail: 'Check', ListedCheck: 'Check' }

const ownersOf = (id: string): string[] => [...(wider[id] === undefined ? [] : [wider[id]]), id]

/** Bounds that every integer of JavaScript has, and patterns that `format` implies. */
const removeNoise = (schema: z.core.JSONSchema.BaseSchema): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern
}

const withoutId = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'id'))

/** Plain JSON with references to the named schemas of the document. */
const asJson = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
