# bash completion of raidctl; made by 'raidctl completion bash'
_raidctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD-1]}
	local options='' words='' arrays='' files=''

	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W 'create assemble stop status list examine add fail remove check repair cancel wait adopt release new-uuid get set help version man completion' -- "$cur")
		return
	fi
	case ${COMP_WORDS[1]} in
	create)
		options='--help --level --chunk --layout --size --data-offset --logical-block-size --spare --assume-clean --force --destroy --uuid --wait --no-wait --json'
		files=1
		[[ $prev == --level ]] && files='' words='0 1 10 5 6'
		;;
	assemble)
		options='--help --scan --degraded --force --json'
		arrays=1
		files=1
		;;
	stop)
		options='--help --all --json'
		arrays=1
		;;
	status)
		options='--help --json'
		arrays=1
		;;
	list)
		options='--help --json'
		arrays=1
		;;
	examine)
		options='--help --json'
		files=1
		;;
	add)
		options='--help --force --destroy --json'
		arrays=1
		files=1
		;;
	fail)
		options='--help --force --json'
		arrays=1
		files=1
		;;
	remove)
		options='--help --json'
		arrays=1
		files=1
		;;
	check)
		options='--help --no-wait --json'
		arrays=1
		;;
	repair)
		options='--help --no-wait --json'
		arrays=1
		;;
	cancel)
		options='--help --json'
		arrays=1
		;;
	wait)
		options='--help --json'
		arrays=1
		;;
	adopt)
		options='--help --uuid --remove-bitmap --assemble --json'
		files=1
		;;
	release)
		options='--help --uuid --json'
		files=1
		;;
	new-uuid)
		options='--help --uuid --name --json'
		files=1
		;;
	get)
		options='--help --json'
		arrays=1
		;;
	set)
		options='--help --json'
		arrays=1
		;;
	help)
		options='--help'
		;;
	version)
		options='--help --json'
		;;
	man)
		options='--help'
		;;
	completion)
		options='--help'
		;;
	esac
	[[ ${COMP_WORDS[1]} == help ]] && words='create assemble stop status list examine add fail remove check repair cancel wait adopt release new-uuid get set help version man completion'
	if [[ $cur == -* ]]; then
		words=$options
	elif [[ $arrays && -z $words ]]; then
		words=$(cd /sys/block 2>/dev/null && echo mqr[0-9]*)
		words=${words#'mqr[0-9]*'}
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	[[ $files && $cur != -* ]] &&
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
	return 0
}
complete -o filenames -F _raidctl raidctl
