output "address" {
  description = "The address for the DNS aliases of both hosts"
  value       = aws_lb.balancer.dns_name
}

output "zone_id" {
  description = "The zone of that address, for an alias record"
  value       = aws_lb.balancer.zone_id
}
