import { Me } from '@probe-mesh/contracts/account/account'
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
  WeatherAnswer,
} from '@probe-mesh/contracts/outage/answers'
import { Channel, ChannelTest } from '@probe-mesh/contracts/channel/channel'
import {
  Check,
  CheckDetail,
  RegionStatus,
  Series,
  SeriesPoint,
  StoredReading,
  Uptime,
} from '@probe-mesh/contracts/check/check'
import {
  ErrorIssue,
  ErrorOccurrence,
  ErrorProject,
} from '@probe-mesh/contracts/error-tracking/error-tracking'
import { Flip } from '@probe-mesh/contracts/mesh/events'
import { Heartbeat, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { Incident, IncidentUpdate } from '@probe-mesh/contracts/incident/incident'
import { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { Timings } from '@probe-mesh/contracts/reading/reading-details'
import { z } from 'zod'

export type Json = { [key: string]: unknown }

/** Schemas that the document defines once and refers to. */
const named = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries({
  CatalogAnswer,
  Channel,
  ChannelTest,
  Check,
  CheckDetail,
  Component,
  ErrorIssue,
  ErrorOccurrence,
  ErrorProject,
  Flip,
  Freshness,
  Heartbeat,
  Incident,
  IncidentUpdate,
  InternetAnswer,
  MaintenanceWindow,
  Me,
  NamedService,
  PastOutage,
  Problem,
  RecentIncidentsAnswer,
  RegionalReading,
  RegionalReadingsAnswer,
  RegionStatus,
  RegionWeather,
  ReportReceipt,
  ReportVolume,
  ReportVolumeAnswer,
  Run,
  Series,
  SeriesPoint,
  ServiceStatusAnswer,
  SharedIncident,
  StackAnswer,
  StatusPage,
  StoredReading,
  Timings,
  Uptime,
  WeatherAnswer,
})) {
  named.add(schema, { id })
}

/** A JSON schema with its named parts moved to `components`. */
export const toSchema = (schema: z.ZodType, io: 'input' | 'output', components: Json): Json => {
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
      },
    }),
  )
  for (const [id, definition] of Object.entries(asJson($defs))) {
    components[id] = withoutId(asJson(definition))
  }
  return withoutId(own)
}

const withoutId = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'id'))

/** Plain JSON with references to the named schemas of the document. */
const asJson = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
