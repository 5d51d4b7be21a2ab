terraform {
  required_version = ">= 1.5"
  required_providers {
    service = { source = "probe-mesh/service" }
  }
}

# The key comes from SERVICE_API_KEY, the address from SERVICE_API_URL.
provider "service" {}

variable "hosts" {
  description = "What is watched, by name."
  type        = map(string)
  default = {
    shop = "https://shop.example.com/health"
    docs = "https://docs.example.com/"
  }
}

variable "webhook_secret" {
  type      = string
  sensitive = true
  default   = "sixteen characters or more"
}

resource "service_check" "all" {
  for_each = var.hosts

  name             = each.key
  url              = each.value
  interval_seconds = 60

  # a change of name, url or interval_seconds creates the new check before it deletes the old one
  lifecycle {
    create_before_destroy = true
  }
}

resource "service_check" "api" {
  name                 = "api"
  url                  = "https://api.example.com/status"
  regions              = ["fra", "iad"]
  assertion_status_min = 200
  assertion_status_max = 204
  assertion_json_path  = "database.state"
  assertion_json_op    = "equals"
  assertion_json_value = "up"

  lifecycle {
    create_before_destroy = true
  }
}

resource "service_status_page" "public" {
  name         = "Shop"
  slug         = "shop"
  title        = "Shop status"
  theme_preset = "system"
  accent_color = "#0a7d4f"
  links        = [{ label = "Shop", url = "https://shop.example.com/" }]
}

resource "service_status_page_component" "all" {
  for_each = service_check.all

  status_page_id = service_status_page.public.id
  check_id       = each.value.id
}

resource "service_notification_channel" "ops" {
  type = "json"
  name = "Operations"
  config = {
    url    = "https://hooks.example.com/mesh"
    secret = var.webhook_secret
  }
}

data "service_status_page" "public" {
  slug       = service_status_page.public.slug
  depends_on = [service_status_page.public]
}

output "status_page" {
  value = data.service_status_page.public.url
}
