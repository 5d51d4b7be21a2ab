output "addresses" {
  description = "The source addresses of the agents, by name. Publish them, so that others can allow them"
  value = {
    for name in var.agents : name => var.public_addresses ? aws_eip.agent[name].public_ip : aws_instance.agent[name].public_ip
  }
}

output "instances" {
  description = "The machines, by agent name"
  value       = { for name, instance in aws_instance.agent : name => instance.id }
}
