terraform {
  # write-only arguments: what is written to a secret is in no state and in no plan
  required_version = ">= 1.11"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.95, < 7.0"
    }
  }
}
